export { type PageServer, type PageServerOptions, startPageServer } from './start-page-server.ts';
