/** A part of the playground that did not start; the message is for the person at the terminal. */
export class StartError extends Error {
  override name = 'StartError';
}
