import type { MouseEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { type PageState, pageState } from '../shared/routing/page-state.ts'

/** Hands over the email address of its form, so that the user types it once. */
export function ForgotPasswordLink() {
  const [, navigate] = useLocation()

  function goOn(event: MouseEvent<HTMLAnchorElement>) {
    event.preventDefault()
    const input = event.currentTarget.closest('form')?.elements.namedItem('email')
    const email = input instanceof HTMLInputElement ? input.value.trim() : ''
    const { notice: _seen, expired: _read, ...others } = pageState()
    navigate<PageState>('/forgot-password', { state: { ...others, email } })
  }

  return (
    <Link href="/forgot-password" onClick={goOn}>
      Forgot your password?
    </Link>
  )
}
