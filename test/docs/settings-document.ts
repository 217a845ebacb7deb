import { describeSettings, type Setting } from '../../src/settings.ts';

type Described = ReturnType<typeof describeSettings>[number];

/** The settings that begin a chapter. */
const CHAPTERS: Partial<Record<Setting, string>> = {
  SLACK_BOT_TOKEN: 'Slack',
  FILES_ACCOUNT_URL: 'The file service',
  DATA_DIR: 'The ledger',
  REDIS_URL: 'Several instances',
  OPERATOR: 'People',
  PORT: 'The process',
};

const INTRODUCTION = `# Settings

Pigeonhole reads its settings from the environment, and from a file \`.env\` in the folder that it is started in; the environment takes precedence. Copy [\`.env.sample\`](../.env.sample) and fill it in. Put a value that contains \`#\` or \`$\` into single quotation marks. Tokens and keys have no spaces, line breaks, or characters outside ASCII.

If a setting is missing or malformed, Pigeonhole doesn't start, and lists all problems at once. \`npm start -- --check\` tries the settings of Slack and the file service.

This page and \`.env.sample\` are written by \`npm run docs:settings\`, from \`src/settings.ts\`.
`;

/** Returns the text that docs/settings.md should have. */
export function settingsDocument(): string {
  const lines = describeSettings().flatMap((one) => {
    const chapter = CHAPTERS[one.name];
    const heading = [
      `\n## ${chapter}\n`,
      '| setting | meaning | without it |',
      '| --- | --- | --- |',
    ];
    const row = `| \`${one.name}\` | ${meaningOf(one)} | ${withoutIt(one)} |`;
    return [...(chapter ? heading : []), row];
  });
  return [INTRODUCTION.trimEnd(), ...lines, ''].join('\n');
}

const SAMPLE_INTRODUCTION = `# Pigeonhole's settings. Copy this file to .env and fill it in; the environment overrides the file.
# Settings that begin with "#" are optional and show the default, or an example if there is none.
# Put a value that contains # or $ into 'single quotes': without them, part of it is lost.`;

/** Returns the text that .env.sample should have. */
export function settingsSample(): string {
  const lines = describeSettings().flatMap((one) => {
    const chapter = CHAPTERS[one.name];
    const mark = isRequired(one) ? '' : '#';
    return [
      ...(chapter ? ['', `# --- ${chapter} ${'-'.repeat(90 - chapter.length)}`] : []),
      '',
      ...comment(meaningOf(one).replaceAll('`', '')),
      `${mark}${one.name}=${isRequired(one) ? '' : (one.value ?? '')}`,
    ];
  });
  return [SAMPLE_INTRODUCTION, ...lines, ''].join('\n');
}

function meaningOf({ means, mustBe, more }: Described): string {
  return [`${means}: ${mustBe}.`, more].filter(Boolean).join(' ');
}

function withoutIt({ isDefault, value, unset }: Described): string {
  return isDefault ? `\`${value}\`` : (unset ?? 'required');
}

// One of the two that connect to Slack must be set.
function isRequired({ isDefault, unset }: Described): boolean {
  return !isDefault && (unset ?? 'required').startsWith('required');
}

const WIDTH = 100;

/** Breaks a text into lines of a comment. */
function comment(text: string): string[] {
  const lines = ['#'];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`# ${word}`);
  }
  return lines;
}
