import { shownView } from '../support/shown-view.ts';
import { chapters, type Sample } from './sample-views.ts';

/** Returns the text that docs/words.md should have. */
export function wordsDocument(): string {
  const sections = chapters().map(
    ({ title, samples }) => `## ${title}\n\n${samples.map(shown).join('\n')}`,
  );
  return `# What people read

Written by \`npm run docs:words\` from the views themselves, with sample data. \`#\` is a title, \`|\` a
line of text, \`-\` small print; buttons stand in brackets, with what they ask first.

${sections.join('\n')}`;
}

function shown({ when, view }: Sample): string {
  // Leaves out the text for notifications, which repeats the blocks.
  const lines = shownView(view)
    .split('\n')
    .filter((line) => /^[#|[?-]/.test(line));
  return `${when}\n\n\`\`\`text\n${lines.map(withoutValues).join('\n')}\n\`\`\`\n`;
}

// Removes what a button sends: people do not see it.
function withoutValues(line: string): string {
  return line.replace(/ → [a-z]+(?:_[a-z]+)+ \{[^}]*\}/g, '');
}
