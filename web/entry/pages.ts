import { ForgotPassword } from './ForgotPassword.tsx'
import { ResetPassword } from './ResetPassword.tsx'
import { SetUp } from './SetUp.tsx'
import { SignUp } from './SignUp.tsx'

export const pages = { ForgotPassword, ResetPassword, SetUp, SignUp }
