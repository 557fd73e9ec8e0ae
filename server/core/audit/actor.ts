import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../../platform/http/client-address.ts'

export interface Actor {
  /** The user of the session; null for the command line and for requests without a session. */
  actorId: string | null
  impersonatedBy: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
  /** The hash of the session token without which the route refuses the request; null where no session is required. */
  requiredTokenHash: string | null
}

/** Longer than those of browsers. An attacker must not fill the audit log. */
const USER_AGENT_LENGTH = 200

export function actorOf(request: FastifyRequest): Actor {
  const { caller, headers, id, requiredTokenHash } = request
  return {
    actorId: caller?.user.id ?? null,
    impersonatedBy: caller?.session.impersonatedBy ?? null,
    ipAddress: clientAddress(request),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
    requestId: id,
    requiredTokenHash,
  }
}

export function toActorColumns({ requiredTokenHash: _, ...columns }: Actor): Omit<Actor, 'requiredTokenHash'> {
  return columns
}

export const OPERATOR: Actor = {
  actorId: null,
  impersonatedBy: null,
  ipAddress: null,
  userAgent: 'command line',
  requestId: null,
  requiredTokenHash: null,
}

export const MAINTENANCE: Actor = { ...OPERATOR, userAgent: 'maintenance' }
