export type { PageAddress } from './listen-on-port.ts';
export { type PageServer, startPageServer } from './start-page-server.ts';
