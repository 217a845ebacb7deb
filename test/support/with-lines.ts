import type { Ledger } from '../../src/ledger/index.ts';

/**
 * Has each channel want a line for each of its messages, which tests read, until the settings of its
 * link say otherwise.
 */
export function withLines(ledger: Ledger): Ledger {
  const setLink: Ledger['setLink'] = async (ref, link) => {
    const set = await ledger.setLink(ref, link);
    if (set.isNew) await ledger.setLines(ref, true);
    return set;
  };
  const wantsLines: Ledger['wantsLines'] = async (ref) =>
    (await ledger.findLink(ref))?.lines ?? true;
  return { ...ledger, setLink, wantsLines };
}
