import type { Locator } from 'playwright-core';

/** Whether the lower end of an element is in sight: not cut off, not covered by another. */
export function isSeen(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, bottom, width } = node.getBoundingClientRect();
    return node.contains(node.ownerDocument.elementFromPoint(left + width / 2, bottom - 2));
  });
}
