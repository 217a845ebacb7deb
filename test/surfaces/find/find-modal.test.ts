import { expect, it } from 'vitest';
import { findModal, SEARCHING } from '../../../src/surfaces/find/find-modal-view.ts';
import { NOWHERE_TO_FIND } from '../../../src/surfaces/find/found-files.ts';
import { modalProblems } from '../../support/block-kit-limits.ts';
import { ODD_NAMES } from '../../support/odd-names.ts';

it.each(ODD_NAMES)('the search in a modal is valid for Slack with the words %j', (words) => {
  const typed = words.slice(0, 255).toWellFormed();
  for (const found of [null, SEARCHING, NOWHERE_TO_FIND])
    expect(modalProblems(findModal({ words: typed, found }))).toEqual([]);
});
