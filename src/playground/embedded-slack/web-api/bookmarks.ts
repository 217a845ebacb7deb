import type { SlackContext } from '../context.ts';
import type { ApiMethod, ApiMethods } from './api-method.ts';

/** The emulator's methods of bookmarks, whose changes listeners hear of. */
export function bookmarkMethods({ emulator, changes }: SlackContext): ApiMethods {
  const change: ApiMethod = async (request) => {
    const response = await emulator.forward(request);
    changes.notify('bookmark');
    return response;
  };
  return { 'bookmarks.add': change, 'bookmarks.edit': change, 'bookmarks.remove': change };
}
