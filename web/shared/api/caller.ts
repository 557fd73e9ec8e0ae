import { createContext, use } from 'react'
import type { Caller } from './queries.ts'

export const CallerContext = createContext<Caller | null>(null)

/** The signed-in user and their session. Only for pages in the frame. */
export function useCaller(): Caller {
  const caller = use(CallerContext)
  if (caller === null) throw new Error('useCaller needs the frame')
  return caller
}
