import { ResetPassword } from './ResetPassword.tsx'
import { SetUp } from './SetUp.tsx'
import { SignUp } from './SignUp.tsx'

export const pages = { ResetPassword, SetUp, SignUp }
