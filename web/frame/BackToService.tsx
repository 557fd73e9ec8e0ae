import { nextOrigin } from '../shared/routing/next-origin.ts'

export function BackToService() {
  const next = nextOrigin()
  if (next === null) return null
  return (
    <a className="back" href={next}>
      Back to {new URL(next).host}
    </a>
  )
}
