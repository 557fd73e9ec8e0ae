import { QueryClientProvider } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { queryClient } from './api/queries.ts'
import { IdentityCheck } from './components/IdentityCheck.tsx'
import { Account } from './pages/Account.tsx'
import { ChangeEmail } from './pages/ChangeEmail.tsx'
import { DeleteAccount } from './pages/DeleteAccount.tsx'
import { ForgotPassword } from './pages/ForgotPassword.tsx'
import { Home } from './pages/Home.tsx'
import { Invitation } from './pages/Invitation.tsx'
import { Mailbox } from './pages/Mailbox.tsx'
import { NotFound } from './pages/NotFound.tsx'
import { Reference } from './pages/Reference.tsx'
import { Refused } from './pages/Refused.tsx'
import { ResetPassword } from './pages/ResetPassword.tsx'
import { Security } from './pages/Security.tsx'
import { SetUp } from './pages/SetUp.tsx'
import { SignIn } from './pages/SignIn.tsx'
import { SignUp } from './pages/SignUp.tsx'
import { UndoChangeEmail } from './pages/UndoChangeEmail.tsx'
import { VerifyEmail } from './pages/VerifyEmail.tsx'
import { usePath } from './routing/navigation.ts'
import { useRefusal } from './routing/refusal.ts'

const PAGES: Record<string, ComponentType> = {
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
  const path = usePath()
  const refusal = useRefusal()
  const CurrentPage = (Object.hasOwn(PAGES, path) && PAGES[path]) || NotFound
  return (
    <QueryClientProvider client={queryClient}>
      {refusal === null ? <CurrentPage /> : <Refused code={refusal} />}
      <IdentityCheck />
    </QueryClientProvider>
  )
}
