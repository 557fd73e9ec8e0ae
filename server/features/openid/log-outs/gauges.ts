import type { Context } from '../../../core/context.ts'
import { shareWork } from '../../../platform/background/share-work.ts'
import type { GaugeDescription } from '../../../platform/http/metrics.ts'
import { countLogOuts } from './store.ts'

export function logOutGauges({ database, now }: Context): GaugeDescription[] {
  const count = shareWork(() => countLogOuts(database, now()))
  return [
    {
      name: 'accounts_logouts_waiting',
      help: 'Back-channel log-outs that are not delivered',
      read: async () => (await count()).waiting,
    },
    {
      name: 'accounts_logouts_oldest_waiting_seconds',
      help: 'Time since the first attempt of the oldest back-channel log-out that is not delivered; 0 without one',
      async read() {
        const { oldestAttemptAt } = await count()
        return oldestAttemptAt === undefined ? 0 : Math.max(0, (now() - oldestAttemptAt) / 1000)
      },
    },
  ]
}
