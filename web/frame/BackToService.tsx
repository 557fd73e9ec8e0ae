import { nextOrigin } from '../shared/routing/next-origin.ts'

/** The way back to the service that linked here. */
export function BackToService() {
  const next = nextOrigin()
  if (next === null) return null
  return (
    <a className="back" href={next}>
      Back to {new URL(next).host}
    </a>
  )
}
