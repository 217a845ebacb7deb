import manifest from '../../package.json' with { type: 'json' };

/** The version of Pigeonhole, as package.json states it. */
export const VERSION: string = manifest.version;
