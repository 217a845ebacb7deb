/**
 * Which markers of failure an error's object carries beside its code and message (service interface,
 * appendix 2, R3): `success` and `status`, one of them, or `response_code` instead.
 */
export type ErrorForm = 'all-markers' | 'success-only' | 'status-only' | 'code-alone';

/** How errors are told: by status, or inside a 200 in these forms in turn; at least one. */
export type ErrorTelling = 'by-status' | readonly ErrorForm[];

/** The body of an error. */
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
