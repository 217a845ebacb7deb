export type { ListenerContext } from './listener-context.ts';
export { registerListeners } from './register-listeners.ts';
