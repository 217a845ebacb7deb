/**
 * A text of `most` characters at the most, in memory of its own: the long text that it came from can
 * go. Half a character at the cut becomes a replacement character.
 */
export function cutText(text: string, most: number): string {
  return text.length <= most ? text : Buffer.from(text.slice(0, most)).toString();
}
