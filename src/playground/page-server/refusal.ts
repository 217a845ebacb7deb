/** A request of the page that is not done; `message` is shown to the person. */
export class PageRefusal extends Error {
  override name = 'PageRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
