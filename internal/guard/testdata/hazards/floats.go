package hazards

import "math"

type ratio float64

func floats(n int, x float64, y ratio) int {
	x = x * 1.2                             // want floating point
	x += 0.5                                // want floating point
	x++                                     // want floating point
	z := y - 1                              // want floating point
	x = math.Sqrt(x)                        // want floating point
	return n + int(z) + int(float64(n)*0.2) // want floating point
}

func generic[F ~float32 | ~float64](x F) F {
	return x / 3 // want floating point
}
