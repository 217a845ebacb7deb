import { counted } from './counted.ts';
import { reasonFor } from './reason-for.ts';
import { say } from './say.ts';
import type { View } from './view.ts';

/** Said privately to who shared files that cannot even be written down. */
export function notRecorded({ files }: { files: number }): View {
  const { why, next } = reasonFor('LEDGER_UNRECORDABLE');
  return say([`I couldn’t file ${counted(files, 'file')} that you shared here: ${why}. ${next}`]);
}
