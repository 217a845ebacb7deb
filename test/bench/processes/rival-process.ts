import type { AxiosInstance } from 'axios';
import type { Limit, Limited } from '../rivals/limited.ts';
import { startObviousBot } from '../rivals/obvious-bot.ts';
import { createServiceApi } from '../rivals/service-api.ts';
import { axiosRateLimited, withRetriesAlone } from '../rivals/with-axios-rate-limit.ts';
import { withBottleneckReservoir, withBottleneckSpread } from '../rivals/with-bottleneck.ts';
import { withPThrottle } from '../rivals/with-p-throttle.ts';
import type { AppCalls } from './app-start.ts';
import { measuredCalls } from './measured.ts';
import { serveCalls } from './serve-calls.ts';

type Limiting = (limit: Limit) => { limited: Limited; client?: AxiosInstance };

const LIMITING: Record<string, Limiting> = {
  'bottleneck-reservoir': (limit) => ({ limited: withBottleneckReservoir(limit) }),
  'bottleneck-spread': (limit) => ({ limited: withBottleneckSpread(limit) }),
  'axios-rate-limit': (limit) => ({ limited: withRetriesAlone, client: axiosRateLimited(limit) }),
  'p-throttle': (limit) => ({ limited: withPThrottle(limit) }),
};

const [, , name = ''] = process.argv;

serveCalls<AppCalls>({
  start: (options) => {
    const limiting = LIMITING[name];
    if (!limiting) throw new Error(`There is no limiter ${name}`);
    const { accountUrl, rateLimit } = options;
    return startObviousBot(options, createServiceApi({ accountUrl, ...limiting(rateLimit) }));
  },
  ...measuredCalls(),
});
