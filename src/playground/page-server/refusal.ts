/** Thrown to refuse a request of the page; `message` is shown to the visitor. */
export class PageRefusal extends Error {
  override name = 'PageRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
