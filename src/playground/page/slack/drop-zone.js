import { h } from '../base/dom.js';
import { filesOf } from './attachable.js';

/** Calls `take` with files dropped on `pane`, and shows a sign while they hover over it. */
export function acceptDrops(pane, take) {
  const sign = h(
    'div',
    { class: 'drop-sign', hidden: true, 'aria-hidden': 'true' },
    'Drop to attach',
  );
  pane.append(sign);
  const hasFiles = (event) => event.dataTransfer?.types.includes('Files');
  pane.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    sign.hidden = false;
  });
  pane.addEventListener('dragleave', (event) => {
    if (!pane.contains(event.relatedTarget)) sign.hidden = true;
  });
  pane.addEventListener('drop', (event) => {
    sign.hidden = true;
    if (!hasFiles(event)) return;
    event.preventDefault();
    take(filesOf(event.dataTransfer));
  });
}
