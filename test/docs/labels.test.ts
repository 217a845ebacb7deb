import { expect, it } from 'vitest';
import { buttonsOf } from '../support/shown-view.ts';
import { chapters } from './sample-views.ts';

/** The labels that say by themselves what is done to what. */
const ALONE =
  /^((Link|Unlink) (this|that) (channel|conversation)|Find files|All projects|Back to the files|Folders of .+|Use .+ for this channel)$/;

const LABELS = chapters().flatMap(({ samples }) =>
  samples.flatMap(({ view }) =>
    buttonsOf(view).map(({ text: { text }, accessibility_label: spoken = text }) => ({
      text,
      spoken,
    })),
  ),
);

it('each button has a label that a screen reader can say alone', () => {
  expect(LABELS.length).toBeGreaterThan(100);
  expect(LABELS.filter(({ text, spoken }) => spoken === text && !ALONE.test(text))).toEqual([]);
});

// Who speaks to Slack says what they see: https://www.w3.org/TR/WCAG22/#label-in-name
it('each spoken label has the one that is shown in it', () => {
  const without = LABELS.filter(
    ({ text, spoken }) => !spoken.toLowerCase().includes(text.toLowerCase()),
  );
  expect(without).toEqual([]);
});
