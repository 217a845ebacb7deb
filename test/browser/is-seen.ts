import type { Locator } from 'playwright-core';

/** Whether the lower end of an element is visible: not cut off, and not covered by another. */
export function isSeen(element: Locator): Promise<boolean> {
  return element.evaluate((node) => {
    const { left, bottom, width } = node.getBoundingClientRect();
    return node.contains(node.ownerDocument.elementFromPoint(left + width / 2, bottom - 2));
  });
}
