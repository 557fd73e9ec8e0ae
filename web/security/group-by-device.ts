import { deviceName } from '../shared/format/device-name.ts'
import type { Session } from './queries.ts'

export type Device = { name: string; sessions: Session[]; isCurrent: boolean; lastUsedAt: number }

/** The current session comes first. The others are grouped by the name of their browser and system, by last use. */
export function groupByDevice(sessions: Session[], currentId: string): Device[] {
  const isCurrent = ({ id }: Session) => id === currentId
  const others = Map.groupBy(
    sessions.filter((session) => !isCurrent(session)),
    ({ userAgent }) => deviceName(userAgent),
  )
  const current = sessions.filter(isCurrent).map((session) => toDevice(deviceName(session.userAgent), [session], true))
  const devices = [...others].map(([name, group]) => toDevice(name, group, false))
  return [...current, ...devices.toSorted((one, other) => other.lastUsedAt - one.lastUsedAt)]
}

function toDevice(name: string, sessions: Session[], isCurrent: boolean): Device {
  return { name, sessions, isCurrent, lastUsedAt: Math.max(...sessions.map(lastUse)) }
}

function lastUse({ lastUsedAt, createdAt }: Session): number {
  return Date.parse(lastUsedAt ?? createdAt)
}
