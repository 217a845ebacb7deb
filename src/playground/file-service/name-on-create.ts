import { extname } from 'node:path';
import type { Attachment } from './account.ts';
import type { Behaviour } from './behaviour.ts';

/** Returns the name that a created file gets; a numbered one avoids the folder's `taken` names. */
export function nameOnCreate(
  { id, name }: Attachment,
  { namesOnCreate }: Behaviour,
  taken: ReadonlySet<string>,
): string {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  switch (namesOnCreate) {
    case 'kept':
      return name;
    case 'own':
      return `file-${id}${extension}`;
    case 'numbered': {
      let number = 1;
      while (taken.has(`${stem}_${number}${extension}`)) number += 1;
      return `${stem}_${number}${extension}`;
    }
  }
}
