import { ForgotPassword } from './ForgotPassword.tsx'
import { Home } from './Home.tsx'
import { ResetPassword } from './ResetPassword.tsx'
import { SetUp } from './SetUp.tsx'
import { SignIn } from './SignIn.tsx'
import { SignUp } from './SignUp.tsx'

export const pages = { Home, ForgotPassword, ResetPassword, SetUp, SignIn, SignUp }
