/**
 * Which failure markers an error's object has besides `code` and `message` (service interface,
 * appendix 2, R3): `success` and `status`, one of the two, or `response_code` instead.
 */
type ErrorForm = 'all-markers' | 'success-only' | 'status-only' | 'code-alone';

/** How errors are reported: by status, or with status 200 in these forms in turn (at least one). */
export type ErrorTelling = 'by-status' | readonly ErrorForm[];

/** Returns the body of an error that is reported with status 200. */
export function errorObject(form: ErrorForm, code: number, message: string): object {
  switch (form) {
    case 'all-markers':
      return { success: false, status: false, code, message };
    case 'success-only':
      return { success: false, code, message };
    case 'status-only':
      return { status: false, code, message };
    case 'code-alone':
      return { code, message, response_code: code };
  }
}
