/**
 * Returns the file names in a list as `shownView` shows it: one line for each, with its details
 * below.
 */
export function listedNames(shown: string): string[] {
  return [
    ...shown.matchAll(/^\| (?:\[(.+?) → \S+\]|(.+?))(?: {2}\[Delete .*\])?\n- (?!Reference)/gm),
  ].map(([, linked, plain = '']) => linked ?? plain);
}
