/** The names of the files in a list as shownView shows it: each a line, with what is known of it below. */
export function listedNames(shown: string): string[] {
  return [
    ...shown.matchAll(/^\| (?:\[(.+?) → \S+\]|(.+?))(?: {2}\[Delete .*\])?\n- (?!Reference)/gm),
  ].map(([, linked, plain = '']) => linked ?? plain);
}
