package hazards

import (
	crypto "crypto/rand"
	"hash/maphash"
	old "math/rand"
	"math/rand/v2"
)

func random() {
	_ = rand.IntN(3)                        // want random
	rand.Shuffle(3, func(int, int) {})      // want random
	_ = old.Intn(3)                         // want random
	_ = old.New(old.NewSource(old.Int63())) // want random
	draw := old.Perm                        // want random
	_ = draw
	crypto.Read(nil)       // want random
	_ = maphash.MakeSeed() // want random
}
