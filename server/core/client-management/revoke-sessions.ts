import { inTimedBatches } from '../../platform/background/in-batches.ts'
import { deleteSomeOfDisabledClient } from '../client-sessions/store.ts'
import type { Context } from '../context.ts'

/** Small, because SQLite answers no request during a batch. */
export const CLIENT_BATCH_SIZE = 100

/** Sessions at a disabled client are refused already. Maintenance revokes those that a crash leaves. */
export function revokeSessionsOfDisabledClient({ database }: Context, clientId: string): Promise<void> {
  return inTimedBatches(CLIENT_BATCH_SIZE, (limit) => deleteSomeOfDisabledClient(database, clientId, limit))
}
