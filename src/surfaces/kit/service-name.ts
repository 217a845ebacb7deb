let name = 'the file service';

/** Names the file service in all texts that are made from now on. A process serves one account. */
export function nameService(given: string): void {
  name = given;
}

/** The service's name within a sentence. */
export function service(): string {
  return name;
}

/** The service's name at the beginning of a sentence. */
export function Service(): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
