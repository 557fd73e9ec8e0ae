import type { IncomingMessage } from 'node:http'
import { type Static, Type } from 'typebox'
import { NullableString } from '../../../platform/http/schemas.ts'

/** The origin of a request for a device code, which a user compares with the own device. */
export const DeviceInfo = Type.Object({ ipAddress: NullableString, userAgent: NullableString })
export type DeviceInfo = Static<typeof DeviceInfo>

const USER_AGENT_LENGTH_MAXIMUM = 500

/** `createPassToProvider` sets the address of the socket to that of the client, so no header is read here. */
export function deviceInfoOf({ socket, headers }: IncomingMessage): DeviceInfo {
  return {
    ipAddress: socket.remoteAddress ?? null,
    userAgent: headers['user-agent']?.slice(0, USER_AGENT_LENGTH_MAXIMUM) ?? null,
  }
}
