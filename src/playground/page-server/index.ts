export type { PageAddress } from './listen-on-port.ts';
export { type PageServer, type PageServerOptions, startPageServer } from './start-page-server.ts';
