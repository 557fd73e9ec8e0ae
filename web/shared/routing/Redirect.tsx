import { useEffect } from 'react'
import { replaceWith } from './navigation.ts'

type RedirectProps = { to: string; returnTo?: string }

/** Goes on to another page as soon as it is shown. */
export function Redirect({ to, returnTo }: RedirectProps) {
  useEffect(() => replaceWith(to, returnTo === undefined ? null : { returnTo }), [to, returnTo])
  return null
}
