/**
 * `text`, or its beginning and `…` when it is longer than `max`. Slack's limits count UTF-16 units
 * at the most, so length is counted in them; no character is cut in half.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  let kept = '';
  for (const character of text) {
    if (kept.length + character.length > max - 1) break;
    kept += character;
  }
  return `${kept.trimEnd()}…`;
}
