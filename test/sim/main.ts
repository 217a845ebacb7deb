import { installDisk } from './kernel/disk.ts';
import { tameChance } from './kernel/tame-chance.ts';
import { installVirtualTime } from './kernel/virtual-time.ts';

// First of all: what is loaded later finds virtual time and seeded chance in place.
installVirtualTime();
tameChance();
installDisk();
const { main } = await import('./run/main.ts');
await main(process.argv.slice(2));
