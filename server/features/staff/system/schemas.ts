import { Type } from 'typebox'
import { NullableTimestamp, OneOf, Timestamp } from '../../../platform/http/schemas.ts'

export const SystemResponse = Type.Object({
  version: Type.String(),
  engine: OneOf('sqlite', 'postgres'),
  startedAt: Type.String({ format: 'date-time', description: 'of the process that answers' }),
  checks: Type.Array(
    Type.Object({ name: Type.String(), status: OneOf('ok', 'warning', 'failed'), message: Type.String() }),
  ),
  signingKeys: Type.Array(
    Type.Object({
      id: Type.String(),
      state: OneOf('next', 'signing', 'old', 'retired', 'withdrawn'),
      activeAt: Timestamp,
      retiresAt: NullableTimestamp,
    }),
  ),
  returnToOrigins: Type.Array(Type.String()),
  trustedOrigins: Type.Array(Type.String()),
  attention: Type.Array(
    Type.Object({
      kind: OneOf(
        'check-failed',
        'audit-chain',
        'mail-failing',
        'mail-waiting',
        'log-outs-failing',
        'log-outs-waiting',
        'throttled',
        'single-administrator',
      ),
      message: Type.String(),
    }),
  ),
})
