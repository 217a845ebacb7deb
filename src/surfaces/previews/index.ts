import type { Surface } from '../kit/surface.ts';
import { listenForLinks } from './listen-for-links.ts';

/** What is shown under a file's address that somebody posts. */
export const previews: Surface = { listens: [listenForLinks] };
