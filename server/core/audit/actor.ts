import type { FastifyRequest } from 'fastify'
import { clientAddress } from '../../platform/http/client-address.ts'

/** Who does something, and from where. */
export interface Actor {
  /** The signed-in user; null for the command line and for people who are not signed in. */
  actorId: string | null
  /** The member of staff behind an impersonated session. */
  impersonatedBy: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
}

/** Browsers need less; a stranger's text must not fill the audit log. */
const USER_AGENT_LENGTH = 200

export function actorOf(request: FastifyRequest): Actor {
  const { caller, headers, id } = request
  return {
    actorId: caller?.user.id ?? null,
    impersonatedBy: caller?.session.impersonatedBy ?? null,
    ipAddress: clientAddress(request),
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH) ?? null,
    requestId: id,
  }
}

/** Whoever can start commands on the machine. */
export const OPERATOR: Actor = {
  actorId: null,
  impersonatedBy: null,
  ipAddress: null,
  userAgent: 'command line',
  requestId: null,
}

/** The service's own periodic work. */
export const MAINTENANCE: Actor = { ...OPERATOR, userAgent: 'maintenance' }
