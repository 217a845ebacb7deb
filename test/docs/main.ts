import { writeFile } from 'node:fs/promises';
import { wordsDocument } from './words-document.ts';

await writeFile(new URL('../../docs/words.md', import.meta.url), wordsDocument());
