import { QueryClientProvider } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { type AroundNavHandler, Router } from 'wouter'
import { usePathname } from 'wouter/use-browser-location'
import { Account } from './account/Account.tsx'
import { ChangeEmail } from './account/ChangeEmail.tsx'
import { DeleteAccount } from './account/DeleteAccount.tsx'
import { Home } from './account/Home.tsx'
import { UndoChangeEmail } from './account/UndoChangeEmail.tsx'
import { VerifyEmail } from './account/VerifyEmail.tsx'
import { ForgotPassword } from './entry/ForgotPassword.tsx'
import { NotFound } from './entry/NotFound.tsx'
import { Refused } from './entry/Refused.tsx'
import { ResetPassword } from './entry/ResetPassword.tsx'
import { SetUp } from './entry/SetUp.tsx'
import { SignIn } from './entry/SignIn.tsx'
import { SignUp } from './entry/SignUp.tsx'
import { Mailbox } from './mailbox/Mailbox.tsx'
import { Invitation } from './organizations/Invitation.tsx'
import { Reference } from './reference/Reference.tsx'
import { Security } from './security/Security.tsx'
import { StepUpDialog } from './security/StepUpDialog.tsx'
import { queryClient } from './shared/api/queries.ts'
import { findValue } from './shared/format/find-value.ts'
import type { PagePath } from './shared/pages.ts'
import { withNext } from './shared/routing/next-origin.ts'
import { useRefusal } from './shared/routing/refusal.ts'

const COMPONENTS: Record<PagePath, ComponentType> = {
  '/': Home,
  '/setup': SetUp,
  '/sign-in': SignIn,
  '/sign-up': SignUp,
  '/invitation': Invitation,
  '/forgot-password': ForgotPassword,
  '/reset-password': ResetPassword,
  '/verify-email': VerifyEmail,
  '/change-email': ChangeEmail,
  '/undo-change-email': UndoChangeEmail,
  '/delete-account': DeleteAccount,
  '/account': Account,
  '/account/security': Security,
  '/dev/mailbox': Mailbox,
  '/api/auth/reference': Reference,
}

export function Application() {
  const path = usePathname()
  const refusal = useRefusal()
  const CurrentPage = findValue(COMPONENTS, path) ?? NotFound
  return (
    <QueryClientProvider client={queryClient}>
      <Router hrefs={withNext} aroundNav={goToTop}>
        {refusal === null ? <CurrentPage /> : <Refused code={refusal} />}
        <StepUpDialog />
      </Router>
    </QueryClientProvider>
  )
}

const goToTop: AroundNavHandler = (navigate, path, options) => {
  navigate(withNext(path), options)
  scrollTo(0, 0)
}
