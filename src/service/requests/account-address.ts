import { isSafeAddress, PigeonholeError } from '../../base/index.ts';

/** The addresses of an account (service interface, sections 1 and 4.4). */
export interface AccountAddress {
  /** `{base_url}` without its closing slash: paths of section 4 are appended. */
  baseUrl: string;
  uploadUrl: string;
}

/**
 * Reads an account address: an origin with an optional path, with or without a closing slash.
 * HTTPS only (service interface, section 5); plain HTTP for loopback alone, where nothing leaves
 * the machine.
 *
 * @throws PigeonholeError CONFIG_INVALID
 */
export function parseAccountAddress(text: string): AccountAddress {
  const url = URL.parse(text.trim());
  if (!url) throw invalid('is not an address');
  if (url.username || url.password) throw invalid('carries a user name or password');
  if (url.search || url.hash) throw invalid('carries a query or a fragment');
  if (!isSafeAddress(url)) {
    throw invalid(
      `must be https (plain http for this machine alone), got ${url.protocol}//${url.host}`,
    );
  }
  const account = `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  return {
    baseUrl: `${account}/api/v3`,
    uploadUrl: `${account}/files/upload.php`,
  };
}

function invalid(problem: string): PigeonholeError {
  return new PigeonholeError('CONFIG_INVALID', `The account address ${problem}.`);
}
