import { isAxiosError } from 'axios';

/** Returns how long a 429 asks to wait, in milliseconds; null for any other failure. */
export function rateLimitedFor(error: unknown): number | null {
  if (!isAxiosError(error) || error.response?.status !== 429) return null;
  return Number(error.response.headers['retry-after'] ?? 1) * 1000;
}
